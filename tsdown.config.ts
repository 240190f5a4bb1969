import { defineConfig } from 'tsdown';

const typed = {
  index: 'src/index.ts',
  'ai-sdk': 'src/edges/integrations/ai-sdk/index.ts',
  testing: 'src/testing/index.ts',
  sqlite: 'src/backends/sqlite/index.ts',
};

export default defineConfig({
  entry: { ...typed, cli: 'src/edges/cli/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  fixedExtension: false,
  dts: { entry: Object.values(typed) },
  clean: true,
  report: false,
});
