import { Component, type ReactNode } from 'react'
import { Failed } from './basics.tsx'
import { CodeFailed, isCodeError } from './code-failed.tsx'

/** Error boundary for one part of a page. `label` names the part. */
export class Boundary extends Component<{ label: string; children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('unknown') }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    const title = `${this.props.label} did not load`
    if (isCodeError(error)) return <CodeFailed title={title} />
    return <Failed title={title} error={error} again={() => this.setState({ error: null })} />
  }
}
