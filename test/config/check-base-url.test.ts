import { describe, expect, it } from "vitest";
import { checkBaseUrl } from "../../src/config/api-config.ts";

describe("checkBaseUrl", () => {
  it.each([
    ["https://api.example.com/", "https://api.example.com"],
    ["HTTPS://API.example.com:443/v1//", "https://api.example.com/v1"],
    ["http://localhost:8080", "http://localhost:8080"],
    ["http://127.1:1", "http://127.0.0.1:1"],
    ["http://[::1]:1", "http://[::1]:1"],
  ])("takes %s", (text, url) => {
    expect(checkBaseUrl(text, false)).toMatchObject({ url });
  });

  it.each([
    "api.example.com",
    "ftp://a",
    "https:a",
    "http://api.example.com",
    "http://127.0.0.1.example.com",
    "http://128.0.0.1",
    "https://me@a.example",
    "https://a.example?x=1",
    "https://a.example/#",
    "https://a.example\\@b.example",
    "",
  ])("refuses %j", (text) => {
    expect(checkBaseUrl(text, false)).toHaveProperty("problem");
  });

  it("takes plain http anywhere when told to, and nothing else besides", () => {
    expect(checkBaseUrl("http://a.example", true)).toMatchObject({ url: "http://a.example" });
    expect(checkBaseUrl("http://me@a.example", true)).toHaveProperty("problem");
  });
});
