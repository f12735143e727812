export { compareWithSums } from './compare-with-sums.ts';
