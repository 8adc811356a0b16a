const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text as it stands in an element or an attribute. */
export const inMarkup = (text: string): string => text.replace(/[&<>"']/g, (each) => MARKS[each]!)
