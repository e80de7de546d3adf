// For pages: node make-certificate.mjs FILE HOST…   writes FILE.pem and FILE.key
import { writeFileSync } from "node:fs";
import { makeCertificate } from "../certificate.mjs";

const [file = "", ...hosts] = process.argv.slice(2);
// Fixed dates, because outputs show them and must be the same every day.
const pair = await makeCertificate(hosts, new Date("2024-01-01T00:00:00Z"), 100);
writeFileSync(`${file}.pem`, pair.certificate);
writeFileSync(`${file}.key`, pair.key, { mode: 0o600 });
