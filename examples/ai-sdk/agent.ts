import type { OpenOptions } from '../../src/index.ts';

/** Whose chat it is. */
export interface Chat {
  readonly userId: string;
  readonly chatId: string;
}

/** What the application knows when it starts. */
export interface Settings {
  readonly modelUrl: string;
  /** Where memory is to stand; the agent without memory has no use for it. */
  readonly memory: OpenOptions;
}

/** What the application does with an agent. */
export interface Agent {
  answer(chat: Chat, message: string): Promise<string>;
  close(): Promise<void>;
}
