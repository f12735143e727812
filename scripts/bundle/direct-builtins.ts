const IMPORT = /^import (.+) from "(node:[^"]+)";$/gm;
const CLAUSE = /^(?:(\w[\w$]*)(?:, )?)?(?:\* as ([\w$]+)|\{(.*)\})?$/;

/**
 * Has a script of the bundle take Node's own modules as they are. For each one that is imported Node makes a second
 * module, and looks at everything it exports, which loads what no run needs.
 */
export function withDirectBuiltins(code: string): string {
  return code.replace(IMPORT, (whole, clause: string, name: string) => {
    const [, all, star, some] = CLAUSE.exec(clause) ?? [];
    const parts = [all, star, some === undefined ? undefined : `{${renamed(some)}}`];
    const wanted = parts.filter((part) => part !== undefined);
    if (wanted.length === 0) throw new Error(`not understood: ${whole}`);
    // One of the names may be `process`.
    const from = `globalThis.process.getBuiltinModule("${name}")`;
    return `const ${wanted.map((part) => `${part} = ${from}`).join(', ')};`;
  });
}

function renamed(list: string): string {
  return list.replace(/([\w$]+) as ([\w$]+)/g, '$1: $2');
}
