/**
 * In place of `src/shell/process/limit-heap.ts` and `delay-turbofan.ts` for runs in the process of a test: their flags of
 * V8 would stay, and each run would look at the heap after every collection from then on.
 */
export const limitHeapOf = (): void => {};
export const leaveHeapRoom = (): void => {};
export const delayTurboFan = (): void => {};
