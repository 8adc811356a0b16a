import { VersionGraph } from '@start9labs/start-sdk'
import { current } from './current'

/** The market migrates its database at each start. */
export const versionGraph = VersionGraph.of({ current, other: [] })
