import type { BundledPackage } from './packages.ts'

/** The packages of a bundle as CycloneDX 1.6. */
export function billOfMaterials(version: string, packages: readonly BundledPackage[]): object {
  const componentOf = ({ name, version, identifier }: BundledPackage) => ({
    type: 'library',
    'bom-ref': purlOf(name, version),
    name,
    version,
    purl: purlOf(name, version),
    licenses: identifier ? [licenseOf(identifier)] : [],
  })
  const market: BundledPackage = { name: 'ordbook', version, identifier: 'MIT' }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...componentOf(market), type: 'application' } },
    components: packages.map(componentOf),
    dependencies: [
      { ref: purlOf('ordbook', version), dependsOn: packages.map((each) => purlOf(each.name, each.version)) },
    ],
  }
}

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`
/** `(MIT OR Apache-2.0)` is an expression, `MIT` an identifier. */
const licenseOf = (identifier: string) =>
  identifier.includes(' ') ? { expression: identifier } : { license: { id: identifier } }
