import type { Variable } from '@ordbook/process/variables.ts'

export const database = (about: string): Variable<string | null> => ({
  read: (found) => (urlsOfHosts(found) ? found : undefined),
  expected: 'a URL that begins with postgres:// or postgresql://',
  fallback: null,
  about,
})

/** Splits a URL such as `postgres://user@a,b:5433/name` into one URL per host. Returns undefined if it is invalid. */
export function urlsOfHosts(text: string): string[] | undefined {
  const [, scheme, authority = '', rest = ''] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(text) ?? []
  const [, user = '', hosts = ''] = /^(.*@)?(.*)$/s.exec(authority)!
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`)
  const isComplete = hosts.split(',').length === 1 || hosts.split(',').every((host) => host !== '')
  return scheme && isComplete && urls.every((url) => URL.canParse(url)) ? urls : undefined
}
