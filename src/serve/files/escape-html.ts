const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML and its attributes. What cannot be shown becomes U+FFFD: control characters, half characters. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
