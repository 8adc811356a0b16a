import { existsSync, readFileSync } from 'node:fs'

/**
 * Loaded before a client: changes what its requests ask for and what the market answers, by `lies.json` in the working folder, as a
 * dishonest market would.
 */
export interface LyingFetch {
  /** A part of the address of the requests. */
  at: string
  /** Texts in the address and the body, and what the market gets instead. */
  asked?: [from: string, to: string][]
  /** Texts in the answer, and what the client gets instead. */
  told?: [from: string, to: string][]
}

const changed = (text: string, changes: LyingFetch['told'] = []) =>
  changes.reduce((now, [from, to]) => now.replaceAll(from, to), text)

const honest = globalThis.fetch
globalThis.fetch = async (input, init) => {
  const url = String(input instanceof Request ? input.url : input)
  const lies: LyingFetch[] = existsSync('lies.json') ? JSON.parse(readFileSync('lies.json', 'utf8')) : []
  const lie = lies.find((each) => url.includes(each.at))
  if (!lie) return honest(input, init)
  const body = typeof init?.body === 'string' ? { body: changed(init.body, lie.asked) } : {}
  const answer = await honest(changed(url, lie.asked), { ...init, ...body })
  const { status, headers } = answer
  return new Response(changed(await answer.text(), lie.told), { status, headers })
}
