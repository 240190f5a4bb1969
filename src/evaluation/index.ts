/**
 * Evaluation: readers of data sets with evidence, what a memory finds of it, and reports. Sets are read where they are and
 * are no part of the package.
 */
export {
  evaluateRetrieval,
  type RetrievalReport,
  type RetrievalScores,
} from './evaluate-retrieval.ts';
export { findSet, setNames } from './find-set.ts';
export { figuresOf, headFigures } from './report-figures.ts';
export { reportPage } from './report-page.ts';
