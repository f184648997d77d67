/**
 * @module Corpus of names: display names of agents, services and workflows in many languages,
    tool
 * names of public Model Context Protocol servers and of model providers, routes, and the
    classes of
 * errors of eight languages. All of them must be kept.
 */

const lines = (text: string): readonly string[] =>
  text
    .trim()
    .split(/\n|\|/)
    .map((line) => line.trim());
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Display names of agents, workflows and services, by script. */
export const displayNames: readonly string[] = lines(`
  Helper|Support Desk|Customer Support Agent|Order Manager, EU|Müller GmbH – Support|Math Tutor
  Fiction Writer|Agent (beta)|Dr. Watson|O'Brien's helper|R2-D2|planner/critic|Order Agent v2.1
  Basic Conversation|Bearer of News|Token counter|Secret Santa planner|Password reset helper
  API key rotation agent|agent:triage|Data + AI|Köhler & Söhne Bot|Café Helper 2|Plan A
  WHO Reports
  IT Support|HR & Payroll|Sales – North America|Billing #2|Level 1 Support|24/7 Concierge
  Research Assistant|Code Reviewer|SQL Analyst|Travel Planner|Invoice Clerk|Legal Drafting
  Talk to Sales|Speech to Text|Text-to-SQL|Router|Supervisor|Critic|Executor|Planner|Retriever
  Hotel & Flight Agent|Spanish Agent|English agent|Triage Agent|History Tutor|Joke Generator
  Weather agent|Stock Price Agent|News Summarizer|Email Triage|Meeting Notes|Bug Fixer
  checkout|order-service|payments-api|Order Service|web_frontend|unknown_service:node|acme/support
  customer-support-bot|DocumentProcessingAgent|rag_pipeline_v2|nightly.sync|frontend@2.4.1
  Kundenservice|Bestellannahme Süd|Buchhaltung|Einkauf & Lager|Auskunft Köln|Rechnungsprüfer
  Service client|Agent de voyage|Assistante juridique|Réservation d'hôtel|Comptabilité générale
  Atención al cliente|Agente de viajes|Asesor fiscal|Soporte técnico|Traductor jurídico
  Atendimento ao cliente|Agente de viagens|Suporte técnico|Servizio clienti|Agente di viaggio
  Klantenservice|Reisagent|Kundtjänst|Kundeservice|Asiakaspalvelu|Obsługa klienta
  Doradca podatkowy
  Zákaznická podpora|Ügyfélszolgálat|Asistență clienți|Müşteri Hizmetleri|Seyahat Asistanı
  Εξυπηρέτηση πελατών|Ταξιδιωτικός πράκτορας|Служба поддержки|Ассистент|Переводчик|Бухгалтер
  Служба підтримки|Перекладач|خدمة العملاء|مساعد السفر|שירות לקוחות|סוכן נסיעות|پشتیبانی مشتری
  ग्राहक सेवा|यात्रा सहायक|গ্রাহক সেবা|客服助手|研究助手|旅行规划师|财务分析师|翻译官|代码审查
  カスタマーサポート|旅行プランナー|翻訳アシスタント|経理担当|고객 지원|여행 도우미|번역 도우미
  ฝ่ายขาย|ผู้ช่วย|Chăm sóc khách hàng|Trợ lý du lịch|Layanan Pelanggan|Asisten Perjalanan
  Huduma kwa Wateja|Msaidizi|Hello World|Acme Co|Kim & Ben|Région Grand Est|Assistente do Cliente
  My Service|Find My Order|Book a Table|Ask the Doctor|Our Team Assistant|Chat with PDF|My GPT
`);

/** Routes of services, as frameworks name them. */
export const routes: readonly string[] = lines(`
  GET /users/{id}|POST /api/chat|/users/{id}/orders/{orderId}|GET /|PUT /v1/items/:id|DELETE /a/*
  /{proxy+}|ANY /{proxy+}|/users/:id(\\d+)|GET /users/:id(\\d+)|/a/b?|/users/:id?|/files/:path+
  ^/polls/(?P<id>[0-9]+)$|/v1/models/{model=projects/*}|/v1/{name=shelves/*/books/*}
  /articles/<int:year>/|/blog/[[...slug]]|/users/{id:int}/{tab?}|/{year:[0-9]{4,8}}
  /api/v2/agents/[agentId]/runs|GET /files/<path>|PATCH /teams/{team_id}/members|/healthz
`);

/** Tools of public servers of the Model Context Protocol, of providers and of frameworks. */
export const toolNames: readonly string[] = words(`
  read_file read_multiple_files write_file edit_file create_directory list_directory
    directory_tree
  move_file search_files get_file_info list_allowed_directories create_or_update_file push_files
  create_repository get_file_contents create_issue create_pull_request fork_repository
    create_branch
  list_commits list_issues update_issue add_issue_comment search_code search_issues search_users
  get_issue get_pull_request list_pull_requests create_pull_request_review merge_pull_request
  get_pull_request_files get_pull_request_status update_pull_request_branch search_repositories
  slack_list_channels slack_post_message slack_reply_to_thread slack_add_reaction
  slack_get_channel_history slack_get_thread_replies slack_get_users slack_get_user_profile
  puppeteer_navigate puppeteer_screenshot puppeteer_click puppeteer_fill puppeteer_evaluate
  browser_navigate browser_click browser_type browser_snapshot browser_take_screenshot
  browser_console_messages browser_network_requests browser_press_key browser_file_upload
  brave_web_search brave_local_search maps_geocode maps_reverse_geocode maps_search_places
  maps_place_details maps_distance_matrix maps_elevation maps_directions
  create_entities create_relations add_observations delete_entities delete_observations
  delete_relations read_graph search_nodes open_nodes sequentialthinking get_current_time
  convert_time fetch git_status git_diff_unstaged git_diff_staged git_diff git_commit git_add
  git_reset git_log git_create_branch git_checkout git_show query execute_sql list_tables
  describe_table append_insight read-query write-query create-table list-tables describe-table
  get_weather getWeather get-weather GetWeather get_alerts get_forecast echo add
    longRunningOperation
  sampleLLM getTinyImage printEnv annotatedMessage resolve-library-id get-library-docs
  firecrawl_scrape firecrawl_map firecrawl_crawl firecrawl_search firecrawl_extract
  tavily-search tavily-extract exa_search perplexity_ask web_search_exa research_paper_search
  notion-search notion-fetch notion-create-pages API-post-search API-get-user API-patch-page
  jira_search jira_get_issue jira_create_issue confluence_search confluence_get_page
  linear_create_issue linear_search_issues asana_list_workspaces stripe_create_customer
  create_customer list_customers create_payment_link create_invoice finalize_invoice create_refund
  kubectl_get kubectl_describe kubectl_logs pods_list pods_log helm_install aws_docs_search
  s3_list_buckets cloudwatch_query list_projects apply_migration get_advisors deploy_edge_function
  mcp__github__create_issue mcp__filesystem__read_file mcp__claude_ai_Google_Drive__search_files
  mcp__plugin_playwright_playwright__browser_take_screenshot github.search_code functions.search
  multi_tool_use.parallel $web_search web_search web_search_20250305 web_fetch_20250910
  bash_20250124 text_editor_20250728 computer_20250124 code_execution_20250825 code_interpreter
  file_search image_generation local_shell apply_patch str_replace_based_edit_tool memory_20250818
  google_search url_context googleSearchRetrieval duckduckgo_results_json wikipedia-api arxiv
  sql_db_query sql_db_schema python_repl_ast requests_get terminal Calculator final_answer
  transfer_to_refund_agent handoff_to_billing send_email email.send db:query kb/search
  tools/search@v2 @acme/search validate_iban check_card_status reset_password list_urls ip_lookup
  read_secret_metadata token_usage get_user_by_email create_api_key rotate_secret 搜索订单 天気を調べる
`);

/** Classes of errors by language. */
export const errorClasses: { readonly [language: string]: readonly string[] } = {
  JavaScript: words(`Error TypeError RangeError SyntaxError AbortError AggregateError DOMException
    ECONNREFUSED ETIMEDOUT ERR_INVALID_ARG_TYPE UND_ERR_CONNECT_TIMEOUT AI_APICallError AxiosError
    AI_NoSuchToolError ZodError FetchError APIConnectionTimeoutError RateLimitError
    MongoServerError`),
  Python: words(`ValueError KeyError builtins.TimeoutError requests.exceptions.ReadTimeout
    urllib3.exceptions.MaxRetryError openai.RateLimitError anthropic.APIStatusError
    httpx.ConnectError
    botocore.errorfactory.ThrottlingException pydantic_core._pydantic_core.ValidationError
    sqlalchemy.exc.IntegrityError asyncio.exceptions.CancelledError json.decoder.JSONDecodeError
    langchain_core.exceptions.OutputParserException django.db.utils.OperationalError`),
  Java: words(`java.lang.NullPointerException java.net.SocketTimeoutException
    java.util.concurrent.ExecutionException java.lang.IllegalStateException java.sql.SQLException
    org.springframework.web.client.HttpClientErrorException$TooManyRequests
    com.fasterxml.jackson.databind.exc.MismatchedInputException io.grpc.StatusRuntimeException
    org.hibernate.exception.ConstraintViolationException kotlin.KotlinNullPointerException
    com.acme.billing.Outer$Inner$1`),
  "C#": words(`System.NullReferenceException System.Net.Http.HttpRequestException
    System.Threading.Tasks.TaskCanceledException System.AggregateException System.IO.IOException
    Microsoft.EntityFrameworkCore.DbUpdateException Npgsql.PostgresException
    System.Collections.Generic.KeyNotFoundException System.ComponentModel.Win32Exception
    Azure.RequestFailedException Acme.Result\`2 System.Text.Json.JsonException
    Grpc.Core.RpcException`),
  Go: words(`*net.OpError *errors.errorString *url.Error *fmt.wrapError *os.PathError
    *json.SyntaxError
    context.deadlineExceededError *net.DNSError *strconv.NumError *pq.Error syscall.Errno
    *exec.ExitError runtime.boundsError *tls.RecordHeaderError *fs.PathError *http.MaxBytesError
    main.MyError[int] *status.Error`),
  Rust: words(`std::io::Error core::num::ParseIntError reqwest::Error serde_json::Error
    tokio::time::error::Elapsed sqlx::Error anyhow::Error hyper::Error std::fmt::Error
    alloc::string::FromUtf8Error core::result::Result<(),std::io::Error> tonic::Status`).concat(
    "alloc::boxed::Box<dyn core::error::Error>",
    "alloc::boxed::Box<dyn core::error::Error + core::marker::Send + core::marker::Sync>",
  ),
  Ruby: words(`StandardError ArgumentError NoMethodError ActiveRecord::RecordNotFound
    Timeout::Error
    ActiveRecord::RecordInvalid Net::ReadTimeout Errno::ECONNREFUSED Faraday::TimeoutError
    ActionController::RoutingError JSON::ParserError Redis::CannotConnectError
    ZeroDivisionError`),
  PHP: words(`Exception TypeError ErrorException Illuminate\\Database\\QueryException PDOException
    Symfony\\Component\\HttpKernel\\Exception\\NotFoundHttpException
    GuzzleHttp\\Exception\\ConnectException
    \\RuntimeException Doctrine\\DBAL\\Exception\\UniqueConstraintViolationException JsonException
    Illuminate\\Validation\\ValidationException DivisionByZeroError`),
};
