/** After so many seconds without an answer the pages no longer claim to be live. */
const FRESH_SECONDS = 10

/**
 * The claim that the pages may make after `silence` seconds without an answer: a connected stream alone proves nothing, since a dead
 * connection looks the same until the system gives it up.
 */
export function freshnessOf(isConnected: boolean, silence: number): 'live' | 'quiet' | 'lost' {
  if (silence < FRESH_SECONDS) return isConnected ? 'live' : 'quiet'
  return isConnected ? 'quiet' : 'lost'
}
