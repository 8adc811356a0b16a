import type { BundledPackage } from './packages.ts'

/** Returns the packages of a bundle as a CycloneDX 1.6 document. */
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
      {
        ref: purlOf('ordbook', version),
        dependsOn: packages.map((component) => purlOf(component.name, component.version)),
      },
    ],
  }
}

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`
const licenseOf = (identifier: string) =>
  identifier.includes(' ') ? { expression: identifier } : { license: { id: identifier } }
