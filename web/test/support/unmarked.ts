import { COLLECTIONS } from '../../../scripts/demo/collections.ts'
import type { Visitor } from './browser.ts'

/**
 * Returns visible texts that name a collection of the demo without its verification mark: no ancestor up to the row or header has as many
 * marks as names. Ignores examples, menu options, which cannot contain a mark, and item names such as “Night Watch #14”.
 */
export function unmarkedNames({ page }: Visitor): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const names = ${JSON.stringify(COLLECTIONS.map(({ name }) => name))}
    const namesIn = (text) => names.reduce((sum, name) => sum + text.replaceAll(name + ' #', '').split(name).length - 1, 0)
    const isMarked = (element) =>
      !element.matches('section, article, form, fieldset, dialog, main, body') && (
        element.querySelectorAll('[data-mark]').length >= namesIn(element.textContent) ||
        !element.matches('li, tr, header, a, button, [role=option]') && isMarked(element.parentElement))
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (texts.nextNode()) {
      const { parentElement: element, textContent } = texts.currentNode
      if (namesIn(textContent) === 0 || !element.checkVisibility() || element.closest('script, pre, option, .sr-only')) continue
      if (!isMarked(element)) found.push(element.parentElement.textContent.slice(0, 120))
    }
    return found
  })()`)
}
