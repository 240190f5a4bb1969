/** What is said in the story, in one language; the unit can be any. */
export interface Story {
  readonly language: 'en' | 'zh';
  readonly title: string;
  /** What the user says on the first day. */
  readonly wish: (unit: string) => string;
  readonly promise: (unit: string) => string;
  /** What is answered by someone who remembers nothing. */
  readonly ignorance: string;
  /** What the user asks on the second day, in a new session. */
  readonly question: string;
  /** Reads the unit off a sentence made by `wish`, as a model would; `undefined` if it names none. */
  readonly unitIn: (sentence: string) => string | undefined;
}

export const english: Story = {
  language: 'en',
  title: 'In English',
  wish: (unit) => `From now on, please tell me the temperature in ${unit}, whatever the forecast says.`,
  promise: (unit) => `Understood: ${unit} it is.`,
  ignorance: 'You have not told me.',
  question: 'Which temperature unit did I prefer?',
  unitIn: (sentence) => /the temperature in (.+), whatever/.exec(sentence)?.[1],
};

export const chinese: Story = {
  language: 'zh',
  title: '用中文',
  wish: (unit) => `以后告诉我气温时，温度一律用${unit}表示，不管预报怎么写。`,
  promise: (unit) => `明白了，今后都用${unit}。`,
  ignorance: '您没有告诉过我。',
  question: '还记得我偏好的温度单位吗？',
  unitIn: (sentence) => /温度一律用(.+?)表示/.exec(sentence)?.[1],
};
