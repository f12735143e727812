/**
 * The options of one `-o`, separated by commas. Quotes hold commas and spaces; a doubled quote is one, as in rclone.
 */
export function optionWords(text: string): readonly string[] {
  const words: string[] = [];
  let word = '';
  let quote: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i] as string;
    if (quote !== undefined) {
      if (letter !== quote) word += letter;
      else if (text[i + 1] === quote) word += text[++i];
      else quote = undefined;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
    } else if (letter === ',') {
      words.push(word);
      word = '';
    } else {
      word += letter;
    }
  }
  return [...words, word].filter((each) => each !== '');
}
