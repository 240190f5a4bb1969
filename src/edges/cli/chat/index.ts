/** A conversation at the terminal: Conversation answers messages, answerMessage() shows that, PromptInput takes them. */
export { answerMessage } from './answer-message.ts';
export { AnswerPrinter, asideOf } from './answer-printer.ts';
export { type ChatSurroundings, runChatCommand } from './chat-commands.ts';
export { type ChatSession, chooseChatSession } from './chat-session.ts';
export { Conversation } from './conversation.ts';
export { type FaultyAnswer, faultAfter } from './faulty-answer.ts';
export { PromptInput } from './prompt-input.ts';
