import { existsSync, readFileSync } from 'node:fs'

/** Changes requests and answers of the client that it is preloaded into, as `lies.json` in the working folder lists. */
export interface LyingFetch {
  /** A part of the address of the requests. */
  at: string
  /** Replacements in the address and the body of a request. */
  asked?: [from: string, to: string][]
  /** Replacements in the answer. */
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
