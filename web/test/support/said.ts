/** Messages, errors and states that a page announces to screen readers. */

const SAID = 'said: '

/** Logs a page's messages to the console as they appear. Ignores frames with inscriptions. */
export const LISTEN = `if (window === top) {
  const PLACES = '[role=alert], [role=status], [data-tone], [aria-live=polite], [aria-live=assertive], section[aria-label=Progress]'
  const heard = new Set()
  const textOf = (node) =>
    node.nodeType === Node.TEXT_NODE ? node.data : ' ' + [...node.childNodes].map(textOf).join('') + ' '
  const listen = () => {
    for (const place of document.querySelectorAll(PLACES)) {
      const text = textOf(place).replace(/\\s+/g, ' ').trim()
      if (text === '' || heard.has(text)) continue
      heard.add(text)
      console.debug('${SAID}' + text)
    }
  }
  new MutationObserver(listen).observe(document, { subtree: true, childList: true, characterData: true })
}`

export const messageIn = (line: string): string | null =>
  line.startsWith(SAID) ? line.slice(SAID.length) : null

const FAULTS: [string, RegExp][] = [
  ['names a field of the API', /\b[a-z]+[A-Z][a-z]\w*|\b[a-z]+_[a-z]\w*/],
  // Long words without a digit are not ids.
  [
    'shows an id of more than 16 characters',
    /(?=[a-z]*\d)[a-z\d]{17,}|[a-f\d]{17,}|[a-f\d]{8}-[a-f\d]{4}-[a-f\d]{4}/i,
  ],
  [
    'counts one as several',
    /(?<![\d.,#])\b1 (blocks|coins|collections|confirmations|inscriptions|items|listings|minutes|offers|owners|pages|sales|sats|seconds|steps|trades|traits|transactions|wallets|windows)\b/,
  ],
]

// The end of a shortened address may look like a field: “2Mtj8Ar1…uGhBmb”.
const SHORTENED = /\b\w{1,8}…\w{1,8}\b/g

export const faultsIn = (message: string): string[] => {
  const words = message.replace(SHORTENED, '')
  return FAULTS.filter(([, pattern]) => pattern.test(words)).map(([fault]) => `“${message}” ${fault}`)
}
