import { expect, it } from 'vitest'
import { setUpBrowser } from '../support/browser.ts'

/** Tests the check for badly worded messages that runs in every browser suite. */
const browser = setUpBrowser()

const ID = 'ab'.repeat(32)

it.each([
  ['<p role="status">Listed 1 <b>items</b>.</p>', 'counts one as several'],
  ['<div data-tone="bad"><p>Bad</p><p>priceSats must be >= 1000</p></div>', 'names a field of the API'],
  [`<p role="alert">Bought in ${ID}.</p>`, 'shows an id of more than 16 characters'],
  ['<p aria-live="polite">Trade 6f9619ff-8b86-d011-b42d-00cf4fc964ff</p>', 'shows an id'],
])('rejects a message with %s', async (html, fault) => {
  const visitor = await browser.visitor('data:text/html,')
  await visitor.go('<main></main>')
  // Messages are checked even if they have disappeared.
  await visitor.page.evaluate(`document.querySelector('main').innerHTML = ${JSON.stringify(html)}`)
  await visitor.page.evaluate(`document.querySelector('main').innerHTML = ''`)
  await expect(visitor.close()).rejects.toThrow(fault)
})

it('accepts messages that follow the rules', async () => {
  const visitor = await browser.visitor('data:text/html,')
  await visitor.go(`<p role="status">Bought <abbr title="${ID}">ababab…ababab</abbr> at 1.1 sat/vB</p>`)
  await visitor.page.evaluate(`document.querySelector('p').append(', 1 item, 21 items')`)
  await visitor.page.waitForFunction(`document.body.textContent.includes('21 items')`)
  expect(visitor.said.at(-1)).toContain('21 items')
  await visitor.close()
})
