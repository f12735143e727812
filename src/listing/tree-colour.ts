const STYLES: readonly (readonly [style: string, extensions: string])[] = [
  ['1;32', 'bat btm cmd com dll exe'],
  ['1;31', 'arj bz2 deb gz lzh rpm tar taz tb2 tbz2 tbz tgz tz tz2 z zip zoo'],
  ['1;35', 'asf avi bmp flac gif jpg m2a m2v mov mp3 mpeg mpg ogg ppm rm tga tif wav wmv xbm xpm'],
];

const STYLE_OF = new Map(
  STYLES.flatMap(([style, extensions]) => extensions.split(' ').map((ext) => [ext, style])),
);

/** `text` in the colour that `tree -C` gives a name: programs, archives, images and sound, directories. */
export function colourName(text: string, name: string, isDir: boolean): string {
  const dot = name.lastIndexOf('.');
  const byExtension = dot < 0 ? undefined : STYLE_OF.get(name.slice(dot + 1).toLowerCase());
  const style = byExtension ?? (isDir ? '1;34' : undefined);
  return style === undefined ? text : `\x1b[${style}m${text}\x1b[0m`;
}
