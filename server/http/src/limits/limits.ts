import type { Bucket } from '@ordbook/contract/operation.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { Limit } from './rate-limit.ts'

export function limitsOf(config: Config): Record<Bucket, Limit> {
  const forClient = (perIp: number) => ({ perIp, perKey: perIp })
  return {
    'auth-challenge': config.rateLimitChallenge,
    'auth-verify': config.rateLimitVerify,
    reads: config.rateLimitReads,
    writes: config.rateLimitWrites,
    'web-reads': config.rateLimitWebReads,
    status: forClient(config.rateLimitStatus),
    content: forClient(config.rateLimitContent),
    recursion: forClient(config.rateLimitRecursion),
    events: forClient(config.rateLimitEvents),
    'order-log': forClient(config.rateLimitOrderLog),
    documents: forClient(config.rateLimitDocuments),
  }
}
