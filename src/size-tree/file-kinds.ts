/** What files are, by the ends of their names. */
export type FileKind = 'images' | 'video' | 'audio' | 'documents' | 'archives' | 'code';

/** A hue for each kind of file, in degrees, and the ends of their names. */
export const FILE_KINDS: Readonly<
  Record<FileKind | 'other', readonly [hue: number, ends: string]>
> = {
  images: [205, 'jpg jpeg png gif webp avif heic svg tif tiff bmp ico psd raw cr2 nef arw dng'],
  video: [345, 'mp4 m4v mkv mov avi webm mpg mpeg wmv vob'],
  audio: [285, 'mp3 flac wav ogg opus m4a aac wma aiff mid'],
  documents: [45, 'pdf doc docx odt xls xlsx ods ppt pptx odp txt md rtf epub csv tex'],
  archives: [20, 'zip gz tgz xz zst bz2 tar 7z rar iso img dmg deb rpm jar apk'],
  code: [
    150,
    'js mjs ts tsx jsx py go rs c h cpp cc java rb php sh sql html css json xml yaml yml toml',
  ],
  other: [215, ''],
};

const KINDS: ReadonlyMap<string, FileKind> = new Map(
  Object.entries(FILE_KINDS).flatMap(([kind, [, ends]]) =>
    ends
      .split(' ')
      .filter((end) => end !== '')
      .map((end) => [end, kind as FileKind]),
  ),
);

/** What a file of this name is; `undefined` if its end does not say. */
export function fileKind(name: string): FileKind | undefined {
  return KINDS.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
}
