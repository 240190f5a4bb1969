/** What one folder of src/ is for, and what it may reach. ARCHITECTURE.md's table is written from these rows. */
export interface FolderRule {
  /** Path below src/; `index.ts` is the package's root entry. */
  readonly folder: string;
  readonly purpose: string;
  /** Folders whose index.ts it may import; `*` for all. */
  readonly mayImport: readonly string[];
  /** Folders that it may reach with a late `import()` only. */
  readonly mayLoad?: readonly string[];
  /** Folders of which it may name types only. */
  readonly mayNameTypesOf?: readonly string[];
  /** Third-party packages it may import. */
  readonly packages?: readonly string[];
  /** Third-party packages it may load late only: an `import()`, or a `require` made for the purpose. */
  readonly latePackages?: readonly string[];
  /** Modules of Node.js it may import; `*` for all. */
  readonly builtins?: readonly string[];
  /** No promise, clock, randomness or I/O: the same arguments give the same result. */
  readonly pure?: true;
  /** Not written yet; the row says where it will stand. The flag goes when the folder comes. */
  readonly later?: true;
}

const leaves = ['errors', 'internal'];
const log = [...leaves, 'events'];
const memory = ['memory/service', 'memory/graph', 'memory/manager'];
const contextParts = ['context/assembly', 'context/prompt-cache', 'context/compaction'];
const core = [...log, 'models', 'sessions', 'jobs', ...contextParts, 'safety', ...memory];
const agents = ['agents', 'agents/tools', 'agents/realtime'];
const backends = ['backends/sqlite'];

/** The one source of who may import whom. A folder that is not listed may not exist. */
export const importTable: readonly FolderRule[] = [
  {
    folder: 'internal',
    purpose: 'leaves without a domain: clock, ids, canonical JSON, hashing, paging',
    mayImport: [],
    builtins: ['node:crypto'],
  },
  { folder: 'errors', purpose: 'PalimpsestError and the one table of codes', mayImport: [] },
  {
    folder: 'events',
    purpose: 'the words of the log: Event, Content, ids, scopes, coverage, ports that several folders share',
    mayImport: leaves,
    pure: true,
  },
  {
    folder: 'models',
    purpose: 'ports asked of the outside: LanguageModel, Embedder, Logger, Telemetry; adapters over AI SDK models',
    mayImport: log,
    builtins: ['node:timers/promises'],
  },
  {
    folder: 'sessions',
    purpose: 'SessionService, written once, over SessionStore; state scopes; in-memory store',
    mayImport: log,
    builtins: ['node:timers/promises'],
  },
  {
    folder: 'jobs',
    purpose: 'JobStore and its runner: leases, back-off, dead letters',
    mayImport: log,
    builtins: ['node:async_hooks'],
  },
  {
    folder: 'context/assembly',
    purpose: 'from events to the contents of one request, one stage a file; explain',
    mayImport: log,
    pure: true,
  },
  {
    folder: 'context/prompt-cache',
    purpose: 'prefix plan, fingerprint, provider rules, cost accounting',
    mayImport: [...log, 'context/assembly'],
    pure: true,
  },
  {
    folder: 'context/compaction',
    purpose: 'triggers, safe cuts, summaries, expand, pins',
    mayImport: [...log, 'models', 'jobs', 'context/assembly', 'context/prompt-cache'],
  },
  {
    folder: 'safety',
    purpose: 'redaction, screening, opt-out, hash chain',
    mayImport: [...log, 'models'],
    later: true,
  },
  {
    folder: 'memory/service',
    purpose: 'MemoryService over MemoryStore: analysers, keyword search, ranking; in-memory store',
    mayImport: [...log, 'models'],
    builtins: ['node:timers/promises'],
  },
  {
    folder: 'memory/graph',
    purpose: 'facts and entities with valid time and known time',
    mayImport: [...log, 'models', 'memory/service'],
    later: true,
  },
  {
    folder: 'memory/manager',
    purpose: 'ingest, extract, consolidate, apply',
    mayImport: [...log, 'models', 'jobs', 'memory/service', 'memory/graph', 'safety'],
    later: true,
  },
  {
    folder: 'agents/tools',
    purpose: 'the tools an agent is given for memory and context',
    mayImport: [...log, 'models', ...memory, 'context/compaction'],
    latePackages: ['zod'],
    builtins: ['node:timers/promises'],
  },
  {
    folder: 'agents',
    purpose: 'InvocationDriver, agents and the Runner over it',
    mayImport: [...core, 'agents/tools'],
    builtins: ['node:timers/promises'],
  },
  {
    folder: 'agents/realtime',
    purpose: 'the Runner over live connections',
    mayImport: [...core, 'agents/tools', 'agents'],
    later: true,
  },
  {
    folder: 'engine',
    purpose: 'openPalimpsest(): the one place that wires the parts',
    mayImport: [...core, ...agents],
    mayLoad: backends,
    latePackages: ['@opentelemetry/api', 'gpt-tokenizer'],
    builtins: ['*'],
  },
  {
    folder: 'index.ts',
    purpose: 'the public surface of the package root',
    mayImport: [...core, ...agents, 'engine'].filter((folder) => folder !== 'internal'),
  },
  {
    folder: 'backends/sqlite',
    purpose: 'the store ports over one SQLite file',
    mayImport: [...log, 'sessions', 'jobs', ...memory],
    latePackages: ['@photostructure/sqlite', 'better-sqlite3'],
    builtins: ['*'],
  },
  {
    folder: 'edges/client',
    purpose: 'the HTTP client',
    mayImport: ['errors', 'events'],
    mayNameTypesOf: ['sessions', 'memory/service'],
    later: true,
  },
  {
    folder: 'edges/server',
    purpose: 'the HTTP server',
    mayImport: ['index.ts'],
    packages: ['hono', '@hono/node-server', 'zod'],
    builtins: ['*'],
    later: true,
  },
  {
    folder: 'edges/mcp',
    purpose: 'the MCP server',
    mayImport: ['index.ts'],
    packages: ['@modelcontextprotocol/sdk', 'zod'],
    builtins: ['*'],
    later: true,
  },
  {
    folder: 'edges/integrations/ai-sdk',
    purpose: 'middleware, tools and messages for the AI SDK',
    mayImport: ['index.ts'],
    packages: ['ai', '@ai-sdk/provider'],
  },
  {
    folder: 'edges/cli',
    purpose: 'the command line',
    mayImport: ['*'],
    packages: ['commander', 'picocolors', 'cli-progress', 'zod'],
    latePackages: ['@ai-sdk/google', '@ai-sdk/anthropic', '@ai-sdk/openai-compatible'],
    builtins: ['*'],
  },
  {
    folder: 'evaluation',
    purpose: 'metrics, data set readers, harness',
    mayImport: ['index.ts'],
    packages: ['zod'],
    builtins: ['*'],
  },
  {
    folder: 'testing',
    purpose: 'laws and checks that prove a backend; manual clock',
    mayImport: ['index.ts'],
    builtins: ['node:assert', 'node:assert/strict', 'node:timers/promises'],
  },
];
