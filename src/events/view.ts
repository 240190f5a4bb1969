/** The provider whose rules a request must keep. */
export type Provider = 'gemini' | 'anthropic' | 'openai';

/** How one agent looks at a log. */
export interface View {
  readonly agentName: string;
  readonly branch?: string;
  readonly isolationScope?: string;
  /** Everything, the current invocation alone, or a window cut at pair-safe points. */
  readonly history:
    | 'full'
    | 'invocation'
    | { readonly window: { readonly invocations?: number; readonly tokens?: number } };
  readonly provider: Provider;
}
