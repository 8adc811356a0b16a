const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for an HTML element or attribute. */
export const inMarkup = (text: string): string => text.replace(/[&<>"']/g, (character) => MARKS[character]!)
