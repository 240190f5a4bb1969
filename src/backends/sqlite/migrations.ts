import { artifactSourceSchema } from './artifact-source-schema.ts';
import { jobSchema } from './job-schema.ts';
import { memorySchema } from './memory-schema.ts';
import { sessionSchema } from './session-schema.ts';

/** Marks a file as made by this library: the letters PALI. */
export const applicationId = 0x50_41_4c_49;

/**
 * The steps from an empty file to the newest schema, in order. A step that has been released never changes; a new one
 * is added behind it, and a file of the version before is kept in test/fixtures.
 */
export const migrations: readonly string[] = [
  `${sessionSchema}\n${memorySchema}`,
  `${artifactSourceSchema}\n${jobSchema}`,
];
