import type { Config } from '@ordbook/db/settings/config.ts'
import { guide } from '@ordbook/process/guide.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const ABOUT = 'settings'
const MEND = `See ${guide('docs/reference/settings.md')}.`

/** Returns the finding if the settings cannot be read. `problems` names each wrong setting. */
export const invalidSettings = (problems: string): Finding => fault('settings-invalid', problems, MEND)

/** Checks combinations of settings. */
export const settingsCheck: Check = {
  failure: 'settings-invalid',
  mend: MEND,
  async examine({ config }) {
    const findings = [...proxiesOf(config), ...limitsOf(config)]
    return findings.length > 0
      ? findings
      : [ok(ABOUT, `chain ${config.chain}, roles ${config.roles.join(', ')}`)]
  },
}

function proxiesOf({ publicUrl, trustProxy, contentUrl }: Config): Finding[] {
  if (publicUrl === null) return []
  const { protocol, origin } = new URL(publicUrl)
  const findings: Finding[] = []
  if (trustProxy === false)
    findings.push(
      warning(
        'proxy-untrusted',
        'PUBLIC_URL is set, but TRUST_PROXY is off: behind a proxy, all clients share one rate limit',
        'Set TRUST_PROXY to the number of your proxies, or to their networks.',
      ),
    )
  if (protocol !== 'https:')
    findings.push(
      warning(
        'proxy-unencrypted',
        `PUBLIC_URL is ${publicUrl}: signatures and sessions travel unencrypted`,
        'Put a proxy with a certificate in front of the server, and set PUBLIC_URL to its https address.',
      ),
    )
  if (contentUrl === null || new URL(contentUrl).origin === origin)
    findings.push(
      warning(
        'content-same-origin',
        'inscriptions are served from the origin of the storefront (CONTENT_URL): only the sandbox isolates their scripts',
        'Point a second host name at this server, and set CONTENT_URL to it.',
      ),
    )
  return findings
}

function limitsOf({ rateLimits, chain, minFundingSats }: Config): Finding[] {
  const findings: Finding[] = []
  if (rateLimits === 'off')
    findings.push(
      warning(
        'settings-risky',
        'RATE_LIMITS is off: one client can keep the server busy',
        'Remove RATE_LIMITS=off.',
      ),
    )
  if (chain === 'main' && minFundingSats === 0)
    findings.push(
      warning(
        'settings-risky',
        'MIN_FUNDING_SATS is 0: wallets without funds can write',
        'Set MIN_FUNDING_SATS. The default is 100000.',
      ),
    )
  return findings
}
