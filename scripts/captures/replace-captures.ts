/** A capture in a page: everything between its two marks is made anew. */
const CAPTURE = /(<!-- capture (\S+) -->\n)[\s\S]*?(<!-- end of capture -->)/g;

/** The names of the captures that a page wants, in the order they stand there. */
export function captureNames(page: string): readonly string[] {
  return [...page.matchAll(CAPTURE)].map(([, , name = '']) => name);
}

/** The page with its captures replaced by what `screens` holds under their names. Throws where one is missing. */
export function replaceCaptures(page: string, screens: ReadonlyMap<string, string>): string {
  return page.replace(CAPTURE, (_, head: string, name: string, tail: string) => {
    const screen = screens.get(name);
    if (screen === undefined) throw new Error(`there is no capture called ${name}`);
    return `${head}\`\`\`text\n${screen}\n\`\`\`\n${tail}`;
  });
}
