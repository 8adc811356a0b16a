import { goTo } from '../routing/routing.tsx'

/** Returns a function that opens the verified collection, if there is one. */
export function useVerifiedOne(slug: string | null | undefined): (() => void) | undefined {
  return slug ? () => goTo({ to: '/collection/$slug', params: { slug } }) : undefined
}
