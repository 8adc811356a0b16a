import type { BaseContext } from '@ordbook/db/context.ts'
import type { FastifyInstance } from 'fastify'
import { clientKeyOf } from './client-key.ts'
import { limitsOf } from './limits.ts'
import { countRequest, MemoryLimiter, type RateLimiter, RedisLimiter } from './rate-limit.ts'

/** Creates the rate limiter, or returns null if rate limits are off. */
export function openLimiter(
  app: FastifyInstance,
  { config, log }: Pick<BaseContext, 'config' | 'log'>,
): RateLimiter | null {
  if (config.rateLimits !== 'on') return null
  const perWallet = config.unfundedWrites
  const limits = { ...limitsOf(config), 'unfunded-writes': { perIp: perWallet, perKey: perWallet } }
  const limiter = config.redisUrl ? new RedisLimiter(config.redisUrl, limits, log) : new MemoryLimiter(limits)
  app.addHook('onClose', () => limiter.close())
  return limiter
}

/** Registers routes with a rate limit per client. Returns the result of `register`. */
export async function registerCounted<T>(
  app: FastifyInstance,
  limiter: RateLimiter | null,
  bucket: string,
  register: (scope: FastifyInstance) => T,
): Promise<T> {
  let registered: T | undefined
  await app.register(async (scope) => {
    scope.addHook('onRequest', (request) => countRequest(limiter, bucket, 'perIp', clientKeyOf(request)))
    registered = register(scope)
  })
  return registered as T
}
