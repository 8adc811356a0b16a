/** After so many seconds without an answer the pages no longer claim to be live. */
const FRESH_SECONDS = 10
/** A connected stream that is silent for so long, while the pages poll every 20 seconds, is dead. */
const DEAD_SECONDS = 45

/**
 * The claim that the pages may make after `silence` seconds without an answer: a connected stream alone proves nothing, since a dead
 * connection looks the same until the system gives it up.
 */
export function freshnessOf(isConnected: boolean, silence: number): 'live' | 'quiet' | 'lost' {
  if (silence < FRESH_SECONDS) return isConnected ? 'live' : 'quiet'
  return isConnected && silence < DEAD_SECONDS ? 'quiet' : 'lost'
}
