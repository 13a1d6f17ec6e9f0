/** Artifacts as the events leave them in the Task, their digests, and how many bytes of output they are. */
import { digestOf } from './canonical.js';
import { canonicalArtifact } from './event-form.js';
import type { Artifact, ArtifactUpdate, Digest, Part } from './model.js';

/**
 * Folds one update into the artifacts, in place. Without `append` the artifact is new or replaced; with it the parts
 * are added after the others, in order and never merged, so that the digest does not depend on who folds.
 */
export function foldArtifact(artifacts: Map<string, Artifact>, update: ArtifactUpdate): void {
  const { artifact, append } = update;
  const present = artifacts.get(artifact.artifactId);
  if (append === true && present !== undefined) {
    // In place: a copy per chunk would make the cost of a long answer quadratic.
    present.parts.push(...artifact.parts);
    return;
  }
  artifacts.set(artifact.artifactId, { ...artifact, parts: [...artifact.parts] });
}

/** SHA-256 over JCS of `{artifactId, name?, description?, parts}` in canonical event form (section 6). */
export function artifactDigest(json: unknown): Digest {
  const { artifactId, name, description, parts } = canonicalArtifact(json);
  return digestOf({
    artifactId,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    parts,
  });
}

/** The JSON bytes of parts, which `maxOutputBytes` counts. */
export function outputBytes(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(JSON.stringify(part)), 0);
}
