export { completeWords } from './complete.ts';
