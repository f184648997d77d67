/**
 * @module Patterns page: every element in every state, for designers of pages and for tests that
 * render all of them. It has no evidence.
 */
import { toolBadges, toolOutcomes } from "@turnproof/semconv";
import type { Child, FC } from "hono/jsx";

import { timeScale } from "../../ui/display/time-scale.ts";
import { trendOf } from "../../ui/display/trend.ts";
import { binsOf } from "../../ui/display/turn-figures.ts";
import { turnStatistics } from "../../ui/display/turn-statistics.ts";
import { waterfallRows } from "../../ui/display/waterfall-rows.ts";
import type { PageContext } from "../../http/page-context.ts";
import {
  Badge,
  CacheBadge,
  PriorityBadge,
  StatusBadge,
  ToolBadge,
  VerdictBadge,
} from "../../ui/elements/badge.tsx";
import { DurationBar, ShareBar } from "../../ui/elements/bar.tsx";
import { Chip, Chips, ScopeChips } from "../../ui/elements/chip.tsx";
import { EventPanel } from "../../ui/elements/event-panel.tsx";
import {
  Count,
  Duration,
  Id,
  Metric,
  NotMeasured,
  NotThere,
  Time,
  Unknown,
} from "../../ui/elements/figure.tsx";
import { Histogram } from "../../ui/elements/histogram.tsx";
import { Card, Empty, Fact, Facts, Note, Table, Tile, Tiles } from "../../ui/elements/panel.tsx";
import { ReleaseTable } from "../../ui/elements/release-table.tsx";
import { StatisticsTable } from "../../ui/elements/statistics-table.tsx";
import { TrendChart } from "../../ui/elements/trend-chart.tsx";
import { TurnTable } from "../../ui/elements/turn-table.tsx";
import { WaterfallRow } from "../../ui/elements/waterfall-row.tsx";
import { Icon, iconNames } from "../../ui/icons.tsx";
import { Page } from "../../ui/layout.tsx";
import { patternEvent, patternTurns, patternWaterfall } from "./patterns-data.ts";
import { TreePatterns } from "./patterns-trees.tsx";

/** The page; it needs no model. */
export function patternsPage(_model: object, context: PageContext): Child {
  return (
    <Page context={context} title="Patterns">
      <p class="muted">Every element in every state. The values are made up.</p>
      <Figures />
      <Badges />
      <Bars />
      <ChipsAndButtons />
      <Containers />
      <TurnRows />
      <WaterfallRows />
      <TreePatterns />
      <Card title="Statistics" id="p-statistics" flush>
        <StatisticsTable
          lines={turnStatistics(waterfallRows(patternWaterfall), () => [], "kind")}
          by="kind"
          sorting={{ column: "count", descending: true }}
        />
      </Card>
      <Card title="Event" id="p-event">
        <EventPanel event={patternEvent} />
      </Card>
      <Card title="Signs" id="p-signs">
        <ul class="signs">
          {iconNames.map((name) => (
            <li>
              <Icon name={name} /> {name}
            </li>
          ))}
        </ul>
      </Card>
    </Page>
  );
}

const Figures: FC = () => (
  <Card title="Values" id="p-values">
    <Facts>
      <Fact name="count">
        <Count of={12_408} /> · <Count of={12_408} short /> · <Count of={0} />
      </Fact>
      <Fact name="unknown">
        <Unknown why="It is not recorded." />
      </Fact>
      <Fact name="not measured">
        <NotMeasured /> <NotMeasured short />
      </Fact>
      <Fact name="not applicable">
        <NotThere why="no tool was called" />
      </Fact>
      <Fact name="metric">
        <Metric state="known" value={7} /> · <Metric state="partial" value={7} /> ·{" "}
        <Metric state="not_measured" value={null} /> · <Metric state="unknown" value={null} />
      </Fact>
      <Fact name="duration">
        <Duration ms={0.42} /> · <Duration ms={84} /> · <Duration ms={1_240} /> ·{" "}
        <Duration ms={3_725_000} /> · <Duration ms={null} />
      </Fact>
      <Fact name="time">
        <Time at="2026-11-21T14:05:09.120450Z" form="full" /> · <Time at="2026-11-21T14:05:09Z" /> ·{" "}
        <Time at={null} />
      </Fact>
      <Fact name="id">
        <Id of="4bf92f3577b34da6a3ce929d0e0e4736" /> ·{" "}
        <Id of="4bf92f3577b34da6a3ce929d0e0e4736" chars={12} /> · <Id of={undefined} />
      </Fact>
    </Facts>
  </Card>
);

const Badges: FC = () => (
  <Card title="Badges" id="p-badges">
    <Facts>
      <Fact name="verdict">
        <Row>
          {["success", "partial", "failed", "unknown", null].map((verdict) => (
            <VerdictBadge verdict={verdict} />
          ))}
        </Row>
      </Fact>
      <Fact name="status">
        <Row>
          {["success", "error", "partial", "started", "unknown"].map((status) => (
            <StatusBadge status={status} />
          ))}
        </Row>
      </Fact>
      <Fact name="tool">
        <Row>
          {toolOutcomes.map((outcome) => (
            <ToolBadge outcome={outcome} words={toolBadges[outcome]} />
          ))}
          <ToolBadge outcome={undefined} words={undefined} />
        </Row>
      </Fact>
      <Fact name="cache">
        <Row>
          {["hit", "miss", "bypassed", "rejected", "disabled", null].map((decision) => (
            <CacheBadge decision={decision} />
          ))}
        </Row>
      </Fact>
      <Fact name="priority">
        <Row>
          <PriorityBadge priority={0} count={3} />
          <PriorityBadge priority={1} />
          <PriorityBadge priority={2} />
        </Row>
      </Fact>
      <Fact name="flag">
        <Row>
          <span class="flag">
            <Icon name="cycle" /> cycle
          </span>
          <Badge tone="warn" icon="orphan" word="2 without parent" />
        </Row>
      </Fact>
    </Facts>
  </Card>
);

const Row: FC<{ readonly children?: Child }> = ({ children }) => (
  <span class="pattern-row">{children}</span>
);

const Bars: FC = () => (
  <Card title="Bars" id="p-bars">
    <Facts>
      <Fact name="duration">
        <DurationBar ms={620} scaleMs={1_000} p95Ms={800} />
      </Fact>
      <Fact name="with error">
        <DurationBar ms={900} scaleMs={1_000} p95Ms={800} error />
      </Fact>
      <Fact name="beyond the scale">
        <DurationBar ms={4_000} scaleMs={1_000} />
      </Fact>
      <Fact name="unknown">
        <DurationBar ms={null} scaleMs={1_000} />
      </Fact>
      <Fact name="share">
        <ShareBar part={3} whole={4} label="3 of 4" />
      </Fact>
      <Fact name="unknown share">
        <ShareBar part={null} whole={4} label="unknown share of 4" />
      </Fact>
    </Facts>
    <Histogram bins={binsOf(patternTurns, Date.now())} of={patternTurns.length} extent="in all" />
    <TrendChart trend={trendOf(patternTurns, Date.now())} extent="in all" />
    <ReleaseTable
      releases={trendOf(patternTurns, Date.now()).releases}
      place={{ base: "", filters: new URLSearchParams() }}
    />
  </Card>
);

const ChipsAndButtons: FC = () => (
  <Card title="Chips, buttons, fields" id="p-chips">
    <ScopeChips
      of={{
        application_id: "newsroom",
        user_id: "usr_amara",
        agent_id: "briefing-writer",
        memory_id: "mem_1",
        thread_id: "thr_amara_1",
      }}
    />
    <ScopeChips of={{ user_id: null, agent_id: "briefing-writer" }} />
    <ScopeChips of={{ agent_id: "briefing-writer" }} />
    <Chips label="Terms">
      <a class="chip term" href="#p-chips">
        <span class="value">status:error</span> <Icon name="close" label="remove" />
      </a>
      <Chip name="root" value="4bf92f3577b34da6a3ce929d0e0e4736" chars={16} />
    </Chips>
    <Row>
      <button class="button" type="button">
        Button
      </button>
      <button class="button primary" type="button">
        Primary
      </button>
      <button class="button small" type="button" aria-pressed="true">
        Pressed
      </button>
      <button class="button bare" type="button">
        Bare
      </button>
      <button class="button" type="button" disabled>
        Disabled
      </button>
      <input class="field" aria-label="A field" placeholder="A field" />
      <kbd>g</kbd> <kbd>t</kbd>
    </Row>
  </Card>
);

const Containers: FC = () => (
  <>
    <Tiles label="Tiles">
      <Tile name="Turns" more="in 39 roots">
        120
      </Tile>
      <Tile name="Dropped" more="not reported">
        <Unknown />
      </Tile>
      <Tile name="First token">
        <NotMeasured />
      </Tile>
    </Tiles>
    <Note>A plain note.</Note>
    <Note tone="warn">The window is bounded: 250 of at least 1,000 roots were read.</Note>
    <Note tone="bad">Some records could not be read.</Note>
    <Table
      label="A table"
      head={["Name", "Count"].map((name) => (
        <th scope="col">{name}</th>
      ))}
    >
      <tr>
        <td>One</td>
        <td>1</td>
      </tr>
      <tr aria-selected="true">
        <td>Selected</td>
        <td>2</td>
      </tr>
    </Table>
    <Card title="A card with nothing in it" id="p-empty">
      <Empty title="Nothing here" icon="turns">
        <p>What that means, and what to do.</p>
      </Empty>
    </Card>
  </>
);

const TurnRows: FC = () => (
  <Card title="Turns" id="p-turns" flush>
    <div class="list">
      <TurnTable label="Turns in every state" rows={patternTurns} base="" />
    </div>
  </Card>
);

const WaterfallRows: FC = () => {
  const { rows, extentMs } = waterfallRows(patternWaterfall);
  const scale = timeScale({ fromMs: 0, toMs: extentMs });
  return (
    <Card title="Waterfall" id="p-waterfall" flush>
      <div class="wf" role="treegrid" aria-label="A waterfall in every state" aria-colcount={3}>
        <div class="wf-body" role="rowgroup">
          {rows.map((row, index) => (
            <WaterfallRow
              row={row}
              state={{
                index,
                scale,
                collapsed: false,
                focused: index === 0,
                selected: index === 2,
                dimmed: index === 3,
                priority: index === 4 ? 0 : undefined,
              }}
            />
          ))}
        </div>
      </div>
    </Card>
  );
};
