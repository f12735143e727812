/**
 * Reads as much of a file as the system has in memory, without waiting for the disk: so many bytes from the begin of
 * the buffer on; 0 where there are none, or none can be had that way.
 */
export type ReadFromMemory = (fd: number, buffer: Buffer, offset: number) => number;

/** Where the system cannot do it. */
export const readNothing: ReadFromMemory = () => 0;
