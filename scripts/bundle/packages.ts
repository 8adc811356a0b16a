import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface BundledPackage {
  name: string
  version: string
  /** SPDX identifier or expression of the licence. */
  identifier?: string | null | undefined
  text?: string | null | undefined
}

/** Returns the third-party packages of bundled modules, by path. */
export function packagesOf(modules: readonly string[]): BundledPackage[] {
  const folders = new Set(modules.filter((id) => id.includes('/node_modules/')).map(folderOf))
  return [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)\b/i.test(each))
    return {
      name,
      version,
      identifier: license,
      text: file === undefined ? null : readFileSync(join(folder, file), 'utf8').trim(),
    }
  })
}

/** Returns the folder of a module's package: the nearest one whose package.json has a name and a version. */
function folderOf(module: string): string {
  for (let folder = dirname(module.replaceAll('\0', '')); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest)) {
      const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'))
      if (name && version) return folder
    }
    if (dirname(folder) === folder) throw new Error(`${module} does not belong to a package`)
  }
}

export function uniquePackages(packages: readonly BundledPackage[]): BundledPackage[] {
  const byKey = new Map(packages.map((bundled) => [`${bundled.name}@${bundled.version}`, bundled]))
  return [...byKey.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Returns the licences of packages as one text. Throws if a package has no licence. */
export function licenseText(packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ name, version, identifier, text }) => {
    if (!identifier) throw new Error(`${name} ${version} has no licence`)
    return `${name} ${version}: ${identifier}\n${text ? `\n${text}\n` : ''}`
  })
  return `This folder contains code of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
