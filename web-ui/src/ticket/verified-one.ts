import { goTo } from '../routing/routing.tsx'

/** Returns a function that opens the verified collection with the same name; undefined if there is none. */
export function useVerifiedOne(slug: string | null | undefined): (() => void) | undefined {
  return slug ? () => goTo({ to: '/collection/$slug', params: { slug } }) : undefined
}
