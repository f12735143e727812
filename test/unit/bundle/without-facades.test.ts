import { expect, test } from 'vitest';
import { type Script, withoutFacades } from '../../../scripts/bundle/without-facades.ts';

const script = (fileName: string, code: string, dynamicImports: string[] = []): Script => ({
  fileName,
  code,
  dynamicImports,
});

const group = script('chunks/group-1.js', 'function t() {}\nexport { t, u as "a b" };');
const facade = script(
  'chunks/wanted-2.js',
  'import { n as both, t as wanted } from "./group-1.js";\n\nexport { both, wanted as default };',
);

test('who imports a file that passes on what another has gets it from there', () => {
  const entry = script(
    'main.js',
    'const { both } = await import("./chunks/wanted-2.js");\nimport("./chunks/other-3.js");',
    ['chunks/wanted-2.js', 'chunks/other-3.js'],
  );
  const inside = script('chunks/other-3.js', "import('./wanted-2.js');", ['chunks/wanted-2.js']);
  const [left, ...others] = withoutFacades([entry, facade, inside, group]);
  const names = '.then((group) => ({ both: group.n, default: group.t }))';
  expect(left).toEqual({
    fileName: 'main.js',
    code: `const { both } = await import("./chunks/group-1.js")${names};\nimport("./chunks/other-3.js");`,
    dynamicImports: ['chunks/group-1.js', 'chunks/other-3.js'],
  });
  expect(others).toEqual([
    { ...inside, code: `import("./group-1.js")${names};`, dynamicImports: ['chunks/group-1.js'] },
    group,
  ]);
});

test.each([
  'import { t } from "./group-1.js";\nt();\nexport { t };',
  'import { t } from "./group-1.js";\nimport { u } from "./other-3.js";\nexport { t, u };',
  'import { Readable } from "node:stream";\nexport { Readable };',
  'import "./group-1.js";\nexport {};',
])('a file that does more stays: %j', (code) => {
  const more = script('chunks/more-4.js', code);
  const entry = script('main.js', 'import("./chunks/more-4.js");', ['chunks/more-4.js']);
  expect(withoutFacades([entry, more])).toEqual([entry, more]);
});
