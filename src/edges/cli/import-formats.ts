/** The foreign formats that can be imported. Apart from their readers, so that --help loads none of them. */
export const importFormats = ['locomo', 'chatgpt', 'claude', 'openai', 'adk'] as const;

/** The name of a foreign format. */
export type ImportFormat = (typeof importFormats)[number];
