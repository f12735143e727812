/** What this program uses of WebAssembly: TypeScript knows it as a part of browsers only. */
declare namespace WebAssembly {
  /** Throws where this machine lacks an instruction, or code is not to be compiled (`--jitless`). */
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
