import type { Answer } from '@ordbook/sdk/operations.ts'
import { client, queries, useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { Badge, Button, Failed, Loaded, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { useState } from 'react'

type WalletSession = Answer<'listWalletSessions'>['sessions'][number]

export function WalletSessions() {
  const { signOut } = useSession()
  const found = useRead('listWalletSessions')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const end = async ({ sessionId, isCurrent }: WalletSession) => {
    if (isCurrent) return signOut()
    await client.call('endWalletSession', { params: { sessionId } })
    await queries.invalidateQueries({ queryKey: ['listWalletSessions'] })
  }
  return (
    <section className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-prose text-sm text-soft">
          Your wallet is signed in here. Sign out of any session that you do not recognize.
        </p>
        <Button disabled={busy} onClick={() => void act(() => signOut({ everywhere: true }))}>
          Sign out everywhere
        </Button>
      </div>
      {problem !== null && <Failed error={problem} />}
      <Loaded of={found}>
        {({ sessions }) => (
          <ul className="panel divide-y divide-line">
            {sessions.map((session) => (
              <li key={session.sessionId} className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
                <span className="min-w-40 flex-1 font-medium">{session.client ?? 'Unknown program'}</span>
                {session.isCurrent && <Badge tone="good">This browser</Badge>}
                {session.surface === 'api' && <Badge tone="soft">API</Badge>}
                <span className="text-soft">
                  last used <Time at={session.lastUsedAt} />
                </span>
                <Button
                  disabled={busy}
                  aria-label={`Sign out ${session.client ?? 'unknown program'}`}
                  onClick={() => void act(() => end(session))}
                >
                  Sign out
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}
