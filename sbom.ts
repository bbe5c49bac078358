/**
 * Prints the bill of materials of the package (CycloneDX 1.6): the packages that it installs, from the lock file. `npm sbom
 * --omit dev` leaves out packages that development dependencies use too.
 */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

interface LockedPackage {
  readonly version: string
  readonly license?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

const text = readFileSync('package-lock.json', 'utf8')
const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, LockedPackage>> }
const { name, version, license } = JSON.parse(readFileSync('package.json', 'utf8'))
const installed = Object.entries(packages).filter(
  ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
)

function purlOf(library: string, at: string): string {
  return `pkg:npm/${library.replace('@', '%40')}@${at}`
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

const components = installed.map(([path, { version: at, license: terms, integrity }]) => ({
  type: 'library',
  'bom-ref': purlOf(nameOf(path), at),
  name: nameOf(path),
  version: at,
  purl: purlOf(nameOf(path), at),
  ...(terms !== undefined && { licenses: [{ expression: terms }] }),
  ...(integrity !== undefined && { hashes: [formatHash(integrity)] }),
}))

/** From the form of Subresource Integrity. */
function formatHash(integrity: string) {
  const [, algorithm = '', digest = ''] = /^(sha\d+)-(.+)$/.exec(integrity) ?? []
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }
}

/** The package that a dependency of the package at the path resolves to. */
function resolve(path: string, dependency: string): string[] {
  for (let folder = path; ; folder = folder.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const at = `${folder === '' ? '' : `${folder}/`}node_modules/${dependency}`
    const found = packages[at]
    if (found) return found.dev || found.devOptional ? [] : [purlOf(dependency, found.version)]
    if (folder === '') return []
  }
}

const root = purlOf(name, version)
const dependencies = [['', packages['']!] as const, ...installed].map(
  ([path, { version: at, dependencies }]) => ({
    ref: path === '' ? root : purlOf(nameOf(path), at),
    dependsOn: Object.keys(dependencies ?? {}).flatMap((dependency) => resolve(path, dependency)),
  }),
)

// The same lock file has the same serial number, so that the output can be compared.
const digest = createHash('sha256').update(text).digest('hex')
const serial = digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
const metadata = {
  component: {
    type: 'library',
    'bom-ref': root,
    name,
    version,
    purl: root,
    licenses: [{ expression: license }],
  },
}
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: `urn:uuid:${serial}`,
  version: 1,
  metadata,
  components,
  dependencies,
}
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)
