import { test } from 'vitest';
import { createMemoryService } from './create-memory-service.ts';
import { createInMemoryMemoryStore } from './in-memory-store.ts';
import { memoryLaws } from './memory-laws.ts';

test.each(memoryLaws)('$id: $law', async ({ check }) => {
  const store = createInMemoryMemoryStore();
  await check({ memory: createMemoryService({ store }), second: createMemoryService({ store }) });
});
