import { COLLECTIONS } from '../../../scripts/demo/collections.ts'
import type { Visitor } from './browser.ts'

/**
 * The text of each place in sight that names a collection of the demo without the mark of its verification: no element around
 * it, up to its row or head, has as many marks as names. A menu's options cannot hold a mark.
 * “Night Watch #14” is an item.
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
      if (namesIn(textContent) === 0 || !element.checkVisibility() || element.closest('script, option, .sr-only')) continue
      if (!isMarked(element)) found.push(element.parentElement.textContent.slice(0, 120))
    }
    return found
  })()`)
}
