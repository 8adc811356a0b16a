import { failed } from '@ordbook/web-ui/strings/errors.ts'
import { Failed } from '@ordbook/web-ui/ui/basics.tsx'
import { CodeFailed, isCodeError } from '@ordbook/web-ui/ui/code-failed.tsx'
import { Component, type ReactNode } from 'react'

interface Props {
  /** A change of address clears the error. */
  href: string
  children: ReactNode
}
interface State {
  href: string
  error: unknown
}

/** Error boundary for a page. Header and footer stay. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { href: this.props.href, error: null }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error ?? new Error('unknown') }
  }

  static getDerivedStateFromProps({ href }: Props, state: State): State | null {
    return href === state.href ? null : { href, error: null }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    // Browsers do not retry a failed import.
    if (isCodeError(error)) return <CodeFailed title={failed.page} />
    return <Failed title={failed.page} error={error} again={() => this.setState({ error: null })} />
  }
}
