import { existsSync, readFileSync } from 'node:fs'

/** Preloaded into a client: changes its requests and responses as listed in `lies.json` in the working directory. */
export interface LyingFetch {
  /** Substring of the URLs of affected requests. */
  at: string
  /** Replacements in URL and body of the request. */
  asked?: [from: string, to: string][]
  /** Replacements in the response. */
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
