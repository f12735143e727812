/** The channel to the kernel: requests come in, answers and notifications go out. */
export interface Device {
  /** Reads one request. Its length in bytes, 0 where none waits, -1 where the mount is gone. */
  read(into: Uint8Array): number;
  /** Sends an answer. `false` where the kernel does not wait for it any more. */
  write(message: Uint8Array): boolean;
  /** As `write`, of a head and what follows it. */
  writeParts(head: Uint8Array, body: Uint8Array): boolean;
  /** Sends a notification, from another thread: the kernel may hold it up until a request is answered. */
  notify(message: Uint8Array): Promise<void>;
  /** Waits a few dozen microseconds for a request, with the thread at rest; tells whether there is one. */
  waitBriefly(): boolean;
  /** Resolves when a request waits, and now and then. */
  wait(): Promise<void>;
  close(): void;
}
