const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for an element or an attribute. */
export const inMarkup = (text: string): string => text.replace(/[&<>"']/g, (each) => MARKS[each]!)
