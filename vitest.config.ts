import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // By default one core is left to the runner itself, which has little to do while files run.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'suite',
          include: ['{src,test,scripts,bench,examples}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/packed/**'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Builds, packs and installs the package; kept out of `npm test` because it takes a network and its time.
        test: { name: 'packed', include: ['test/packed/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 240_000 },
      },
    ],
  },
});
